//! One value for each move: found by the move, stored under its name.

use super::{MOVES, Move};
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

/// A move of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveId(usize);

impl MoveId {
    /// All moves, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..MOVES.len()).map(Self)
    }

    /// Where this move is in the table.
    pub fn of(wanted: &dyn Move) -> Self {
        Self::all().find(|id| id.get().name() == wanted.name()).expect("every move is in the table")
    }

    /// The move of this number; the last one for a number that is too large.
    pub(super) fn nth(number: usize) -> Self {
        Self(number.min(MOVES.len() - 1))
    }

    /// Its number in the table.
    pub(super) fn number(self) -> usize {
        self.0
    }

    /// The move.
    pub fn get(self) -> &'static dyn Move {
        MOVES[self.0]
    }
}

/// One value for each move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerMove<T>([T; MOVES.len()]);

impl<T> PerMove<T> {
    /// The value that `value` gives for each.
    pub fn new(mut value: impl FnMut(MoveId) -> T) -> Self {
        Self(std::array::from_fn(|number| value(MoveId(number))))
    }

    /// The value of this move.
    pub fn of(&self, wanted: &dyn Move) -> &T {
        &self[MoveId::of(wanted)]
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }
}

impl<T> Index<MoveId> for PerMove<T> {
    type Output = T;

    fn index(&self, id: MoveId) -> &T {
        &self.0[id.0]
    }
}

impl<T> IndexMut<MoveId> for PerMove<T> {
    fn index_mut(&mut self, id: MoveId) -> &mut T {
        &mut self.0[id.0]
    }
}

impl<T: Serialize> Serialize for PerMove<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(MOVES.len()))?;
        for id in MoveId::all() {
            map.serialize_entry(id.get().name(), &self[id])?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for PerMove<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut named = BTreeMap::<String, T>::deserialize(deserializer)?;
        let found: Vec<T> = MoveId::all().filter_map(|id| named.remove(id.get().name())).collect();
        let all = found.try_into().ok().filter(|_| named.is_empty());
        all.map(Self).ok_or_else(|| D::Error::custom("its moves are not those of this version"))
    }
}
