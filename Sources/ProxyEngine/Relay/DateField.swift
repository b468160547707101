internal import ProxydCivilTime
internal import Glibc

/// The value of the Date field for a response that has none (RFC 9110 §6.6.1).
enum DateField {
    /// The current time of the wall clock, as an IMF-fixdate.
    static func now() -> String { CivilTime(secondsSinceEpoch: Int64(time(nil))).imfFixdate }
}
