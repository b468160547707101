internal import ProxydCLibevent

/// The libevent that the program is running with.
public enum EventLibrary {
    /// The library's version: `2.1.12-stable`.
    public static var version: String { String(cString: event_get_version()) }
}
