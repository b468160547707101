internal import ProxydPresentation
internal import Foundation

extension WallTime {
    /// The time zone in the form that filters need.
    var timeZone: TimeZone {
        switch zone {
        case .utc: .gmt
        case .local: .current
        }
    }
}
