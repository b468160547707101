internal import ProxydCLibevent

/// The event library as it is at run time.
public enum EventLibrary {
    /// Its version: `2.1.12-stable`.
    public static var version: String { String(cString: event_get_version()) }
}
