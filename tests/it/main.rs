//! One integration binary; one module per behaviour.

mod mrms;
mod shared;
