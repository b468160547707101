internal import ProxydFilter
internal import ProxydPresentation

extension WallTime {
    /// The time zone in the form that filters need.
    var timeZone: FilterTimeZone {
        switch zone {
        case .utc: .utc
        case .local: .local
        }
    }
}
