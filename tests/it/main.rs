//! One integration binary; one module per behaviour.

mod foreign_smtp;
mod shared;
