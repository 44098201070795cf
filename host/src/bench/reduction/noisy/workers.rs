//! Independent pieces of work on all cores, with results in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Works on all items, as many at once as there are cores, and hands over the results in the order of the items. Stops at the
/// first error of `consume`.
pub fn run_in_order<T: Sync, R: Send, E>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut consume: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..cores.min(items.len()) {
            let sender = sender.clone();
            let next = &next;
            let work = &work;
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else {
                        break;
                    };
                    if sender.send((number, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (number, result) in receiver {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&due) {
                due += 1;
                if let Err(error) = consume(result) {
                    // Nothing is left to take: the workers end with the item at hand.
                    next.store(items.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let mut seen = Vec::new();
        let done: Result<(), ()> = run_in_order(
            &items,
            |item| item * 2,
            |result| {
                seen.push(result);
                Ok(())
            },
        );
        assert_eq!(done, Ok(()));
        assert_eq!(seen, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_the_work() {
        let items: Vec<u32> = (0..10_000).collect();
        let mut consumed = 0;
        let done = run_in_order(
            &items,
            |item| *item,
            |result| {
                consumed += 1;
                if result == 3 { Err("three") } else { Ok(()) }
            },
        );
        assert_eq!((done, consumed), (Err("three"), 4));
    }
}
