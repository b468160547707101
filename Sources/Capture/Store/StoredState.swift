internal import ProxydHTTPModel

/// How states and flags stand in the `exchange` table.
extension ExchangeState {
    /// The number in the `state` column.
    var stored: Int64 {
        switch self {
        case .active: 0
        case .complete: 1
        case .failed: 2
        case .tunnel: 3
        }
    }

    /// The state of a stored number.
    init(stored: Int64) {
        switch stored {
        case 0: self = .active
        case 1: self = .complete
        case 2: self = .failed
        default: self = .tunnel
        }
    }
}

/// Bits of the `flags` column.
struct ExchangeFlags: OptionSet, Sendable {
    let rawValue: Int64

    /// The server connection had served an exchange before.
    static let connectionReused = ExchangeFlags(rawValue: 1)
    /// The request was seen to its end.
    static let requestComplete = ExchangeFlags(rawValue: 2)
    /// The response was seen to its end.
    static let responseComplete = ExchangeFlags(rawValue: 4)
    /// The stored request head could not be parsed.
    static let malformedHead = ExchangeFlags(rawValue: 8)
    /// The client's Host went on although its absolute target named another host.
    static let keepsForeignHost = ExchangeFlags(rawValue: 16)
    /// `response_fault` has a row.
    static let responseFault = ExchangeFlags(rawValue: 32)
    /// `applied_rule` has rows.
    static let appliedRules = ExchangeFlags(rawValue: 64)
}
