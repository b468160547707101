internal import Glibc

/// The time zone of times that are written without an offset.
public enum FilterTimeZone: Sendable, Hashable {
    case utc
    /// The zone that `TZ` or the system specifies.
    case local

    /// The offset from UTC at a moment, in seconds (positive if ahead).
    /// - Parameter seconds: The moment, in seconds since 1970.
    func offset(at seconds: Int64) -> Int {
        guard self == .local else { return 0 }
        var (fields, moment) = (tm(), time_t(seconds))
        return localtime_r(&moment, &fields) == nil ? 0 : fields.tm_gmtoff
    }
}
