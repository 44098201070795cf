//! Products of the shop.

use retap_shared::Text;

pub(super) struct StockItem {
    pub(super) name: &'static str,
    /// In cents.
    pub(super) price: u32,
    pub(super) reviews: u32,
}

pub(super) const CATEGORIES: [&str; 3] = ["Books", "Games", "Garden"];
/// Products of one category follow each other.
pub(super) const PER_CATEGORY: usize = 10;

const fn item(name: &'static str, price: u32, reviews: u32) -> StockItem {
    StockItem {
        name,
        price,
        reviews,
    }
}

pub(super) static PRODUCTS: [StockItem; 30] = [
    item("The Long Way Round", 1_290, 4),
    item("Cooking for One", 2_400, 0),
    item("A History of Rain", 1_850, 2),
    item("Knots and Splices", 990, 11),
    item("The Lighthouse Keeper", 1_100, 0),
    item("Field Guide to Moss", 2_990, 1),
    item("Night Trains", 1_450, 7),
    item("Small Gods of the City", 1_390, 3),
    item("Letters to a Gardener", 890, 0),
    item("The Atlas of Islands", 3_500, 5),
    item("Castle Builders", 3_990, 20),
    item("Deck of Dragons", 1_490, 2),
    item("Harbour Masters", 4_450, 8),
    item("Word Ladder", 1_290, 0),
    item("Four Rivers", 2_750, 1),
    item("Night Market", 3_200, 6),
    item("The Tin Cup", 990, 0),
    item("Railways of the North", 5_400, 13),
    item("Moon Mining", 2_890, 4),
    item("Tea and Thieves", 1_990, 0),
    item("Watering can", 2_490, 3),
    item("Pruning shears", 1_890, 9),
    item("Bird feeder", 1_590, 0),
    item("Seed box", 1_250, 2),
    item("Garden hose, 20 m", 3_490, 5),
    item("Wheelbarrow", 8_900, 1),
    item("Hedgehog house", 2_700, 14),
    item("Solar lantern", 1_100, 0),
    item("Compost bin", 4_900, 2),
    item("Folding chair", 3_300, 6),
];

/// `12.90 €`, without the machinery of `format!`: every row shows one.
pub(super) fn price(cents: u32) -> Text {
    let mut text = *b"00000000.00 \xe2\x82\xac";
    let mut rest = cents;
    for place in [10, 9, 7, 6, 5, 4, 3, 2, 1, 0] {
        text[place] += (rest % 10) as u8;
        rest /= 10;
    }
    let start = text
        .iter()
        .take(7)
        .take_while(|digit| **digit == b'0')
        .count();
    std::str::from_utf8(&text[start..])
        .map(Text::new)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_written_with_two_places() {
        assert_eq!(
            [1_290, 5, 1_234_567].map(price),
            ["12.90 €", "0.05 €", "12345.67 €"]
        );
    }

    #[test]
    fn every_category_has_as_many_products() {
        assert_eq!(PRODUCTS.len(), CATEGORIES.len() * PER_CATEGORY);
    }
}
