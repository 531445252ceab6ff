//! Black-box tests of the binary, many nodes, and the simulator.

pub mod sim;
