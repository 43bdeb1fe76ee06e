//! Each trap of the format, as a small stream written by hand.

mod requests;
mod streams;
