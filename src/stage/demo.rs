//! demo
use super::world::World;
use crate::base::Result;
/// stub
pub fn demo(_world: &World<'_>) -> Result<String> { Ok(String::new()) }
