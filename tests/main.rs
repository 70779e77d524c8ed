//! The one test binary: what the program promises, seen through its public surface.


mod schemas;
