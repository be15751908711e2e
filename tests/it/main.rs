//! One integration binary; one module per behaviour.

mod fake_desk;
mod mcp_door;
mod mcp_foreign;
mod mcp_http;
mod mcp_schema;
mod shared;
