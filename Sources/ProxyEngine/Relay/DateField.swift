internal import ProxydCivilTime
internal import Glibc

/// The value of Date for a response that came without (RFC 9110 §6.6.1).
enum DateField {
    /// The wall clock's moment.
    static func now() -> String { CivilTime(secondsSinceEpoch: Int64(time(nil))).imfFixdate }
}
