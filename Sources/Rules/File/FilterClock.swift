internal import Foundation
internal import ProxydFilter

/// Reads filters at one moment.
struct FilterClock {
    /// Nanoseconds since 1970.
    let now: Int64

    func filter(_ text: String) throws(FilterError) -> Filter {
        try Filter.parse(text, now: now)
    }
}
