//! One integration binary; one module per behaviour.

mod nws_recordings;
mod shared;
