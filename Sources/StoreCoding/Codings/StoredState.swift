package import ProxydHTTPModel

/// Encodes states and flags for the `exchange` table.
extension ExchangeState {
    /// The number in the `state` column.
    package var stored: Int64 {
        switch self {
        case .active: 0
        case .complete: 1
        case .failed: 2
        case .tunnel: 3
        }
    }

    /// Decodes a number of the `state` column.
    package init(stored: Int64) {
        switch stored {
        case 0: self = .active
        case 1: self = .complete
        case 2: self = .failed
        default: self = .tunnel
        }
    }
}

/// Bits of the `flags` column.
package struct ExchangeFlags: OptionSet, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The server connection had been used for an earlier exchange.
    package static let connectionReused = ExchangeFlags(rawValue: 1)
    /// The request was received completely.
    package static let requestComplete = ExchangeFlags(rawValue: 2)
    /// The response was received completely.
    package static let responseComplete = ExchangeFlags(rawValue: 4)
    /// The stored request head could not be parsed.
    package static let malformedHead = ExchangeFlags(rawValue: 8)
    /// The client's Host was forwarded although the absolute target named another host.
    package static let keepsForeignHost = ExchangeFlags(rawValue: 16)
    /// `response_fault` has a row.
    package static let responseFault = ExchangeFlags(rawValue: 32)
    /// `applied_rule` has rows.
    package static let appliedRules = ExchangeFlags(rawValue: 64)
}
