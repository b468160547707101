internal import ProxydPresentation
internal import Foundation

extension WallTime {
    /// The zone as filters take it.
    var timeZone: TimeZone {
        switch zone {
        case .utc: .gmt
        case .local: .current
        }
    }
}
