//! Sets a breakpoint at everything that is to be noted of a class, and clears it when it is hit: code that has run once
//! runs at full speed from then on.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::app_classes::{Uncovered, count};
use crate::classes::{Classes, Item, ItemPlace};
use crate::jvmti::{
    Jvmti, JvmtiError, Location, MODIFIER_ABSTRACT, MODIFIER_NATIVE, MethodId, Object,
};
use crate::lookup::Lookup;

/// JaCoCo's own method in a class that was built with its probes.
const JACOCO_METHOD: &str = "$jacocoInit";
const ALREADY_SET: JvmtiError = JvmtiError(40);

/// What a breakpoint stands for.
#[derive(Debug)]
pub(crate) struct Breakpoint {
    method: Option<ItemPlace>,
    line: Option<ItemPlace>,
    is_cleared: AtomicBool,
}

/// A position in the code of a method, with the items that are reached there: numbers in a list.
struct Position {
    method: MethodId,
    at: Location,
    method_item: Option<usize>,
    line_item: Option<usize>,
}

/// The breakpoints of all classes.
pub(crate) struct Breakpoints {
    pub(crate) classes: Classes,
    pub(crate) uncovered: Uncovered,
    set: Lookup<Breakpoint>,
}

impl Breakpoints {
    pub(crate) const fn new() -> Breakpoints {
        Breakpoints {
            classes: Classes::new(),
            uncovered: Uncovered::new(),
            set: Lookup::new(),
        }
    }

    /// Sets the breakpoints of a class that has been prepared.
    pub(crate) fn set_in(&self, jvmti: Jvmti, class: Object, name: &str, lines: bool) {
        let mut items = Vec::new();
        let mut positions = Vec::new();
        for method in jvmti.methods(class).unwrap_or_default() {
            self.find_positions(jvmti, method, lines, &mut items, &mut positions);
        }
        let source_file = jvmti.source_file(class).unwrap_or_default();
        let places = self.classes.places(name, &source_file, &items);
        let place = |item: Option<usize>| item.and_then(|item| places.get(item).copied());
        for position in positions {
            let breakpoint = Box::leak(Box::new(Breakpoint {
                method: place(position.method_item),
                line: place(position.line_item),
                is_cleared: AtomicBool::new(false),
            }));
            // Known before it can be hit. No lock is held while the VM sets it, which stops all threads.
            self.set.insert(position.method, position.at, breakpoint);
            match jvmti.set_breakpoint(position.method, position.at) {
                Ok(()) | Err(ALREADY_SET) => {}
                Err(_) => count(&self.uncovered.refused),
            }
        }
    }

    fn find_positions(
        &self,
        jvmti: Jvmti,
        method: MethodId,
        lines: bool,
        items: &mut Vec<Item>,
        positions: &mut Vec<Position>,
    ) {
        let modifiers = jvmti.method_modifiers(method).unwrap_or_default();
        if modifiers & MODIFIER_NATIVE != 0 {
            return count(&self.uncovered.native_methods);
        }
        if modifiers & MODIFIER_ABSTRACT != 0 {
            return count(&self.uncovered.abstract_methods);
        }
        let named = jvmti.method_name(method);
        let (Ok((name, signature)), Some(start)) = (named, jvmti.method_start(method)) else {
            return count(&self.uncovered.refused);
        };
        if name == JACOCO_METHOD {
            return;
        }
        let table = jvmti.lines(method);
        let item = |line| Item {
            method: name.clone(),
            signature: signature.clone(),
            line,
            first_line: table.first().map_or(0, |entry| entry.line),
        };
        positions.push(Position {
            method,
            at: start,
            method_item: Some(items.len()),
            line_item: None,
        });
        items.push(item(0));
        if !lines {
            return;
        }
        if table.is_empty() {
            return count(&self.uncovered.without_lines);
        }
        let method_position = positions.len() - 1;
        let mut known = HashMap::new();
        let mut starts = HashSet::new();
        for entry in table.iter().filter(|entry| starts.insert(entry.start)) {
            let line_item = *known.entry(entry.line).or_insert_with(|| {
                items.push(item(entry.line));
                items.len() - 1
            });
            match positions.get_mut(method_position) {
                Some(position) if entry.start == start => position.line_item = Some(line_item),
                _ => positions.push(Position {
                    method,
                    at: entry.start,
                    method_item: None,
                    line_item: Some(line_item),
                }),
            }
        }
    }

    /// Notes that a breakpoint was hit. Called by the app's threads: no lock, no memory, and one of them clears it.
    pub(crate) fn hit(&self, jvmti: Jvmti, method: MethodId, at: Location) {
        let Some(breakpoint) = self.set.get(method, at) else {
            return;
        };
        for place in [breakpoint.method, breakpoint.line].into_iter().flatten() {
            self.classes.hit(place);
        }
        if !breakpoint.is_cleared.swap(true, Ordering::AcqRel) {
            // A redefinition of the class has cleared it already.
            let _ = jvmti.clear_breakpoint(method, at);
        }
    }
}
