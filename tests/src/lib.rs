//! Black-box tests of the binary, many nodes, and the simulator.

pub mod binary;
pub mod entity;
pub mod guide;
pub mod load;
pub mod process;
pub mod sim;
