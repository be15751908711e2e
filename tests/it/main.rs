//! One integration binary; one module per behaviour.

mod shared;
