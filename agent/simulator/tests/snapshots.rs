//! Cost of a snapshot: only parts that change after it are copied, however large the app's state is.

#[path = "simulator/drive.rs"]
#[expect(
    dead_code,
    reason = "the other tests of simulated phones need more of it"
)]
mod drive;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::Action;
use retap_simulator::SimulatedPhone;

/// Counts what the thread has asked for.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_snapshot_costs_the_memory_that_changes_after_it() {
    let few = Cost::with_notes(100);
    let many = Cost::with_notes(3_000);
    assert!(few.saving > 0 && few.changing > 0, "{few:?}");
    assert!(
        many.saving < 2 * few.saving,
        "{many:?}, {few:?} with a thirtieth of the notes"
    );
    assert!(
        many.changing < 2 * few.changing,
        "{many:?}, {few:?} with a thirtieth of the notes"
    );
}

/// In bytes asked for.
#[derive(Debug)]
struct Cost {
    saving: usize,
    /// Additional cost of a changed note, compared with a phone without snapshots.
    changing: usize,
}

impl Cost {
    fn with_notes(notes: usize) -> Cost {
        let mut phone = drive::started("sim:notes");
        for _ in 0..notes {
            drive::tap(&mut phone, "new");
            let at = drive::place(&mut phone, "title");
            drive::act(
                &mut phone,
                &Action::Text {
                    at,
                    text: Text::new_static("Milk"),
                },
            );
            drive::tap(&mut phone, "save");
        }
        // Twice, so that what is made once is there.
        choose(&mut phone, "Star");
        choose(&mut phone, "Remove star");
        phone.save_snapshot().unwrap();
        let changing = asked(|| choose(&mut phone, "Star"));
        let alone = asked(|| choose(&mut phone, "Remove star"));
        Cost {
            saving: asked(|| assert!(phone.save_snapshot().is_ok())),
            changing: changing - alone,
        }
    }
}

/// Something that is done to the first note.
fn choose(phone: &mut SimulatedPhone, what: &str) {
    let at = drive::place(phone, "note");
    drive::act(phone, &Action::LongPress(at));
    drive::tap(phone, what);
}

fn asked(work: impl FnOnce()) -> usize {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}
