package import ProxydCaptureModel

/// Why an operation on the central store failed. Messages never contain captured data.
package enum CentralError: Error, Sendable, Hashable {
    /// The location is wrong, or asks for something that is refused; the message says what to do.
    case location(String)
    /// The server cannot be reached, refused the connection, or closed it.
    case connection(String)
    /// The server reported an error, with its SQLSTATE (PostgreSQL manual, appendix A).
    case server(code: String, message: String)
    /// The operation was cancelled.
    case cancelled

    /// What to do about the error.
    package enum Remedy: Sendable, Hashable {
        /// Try again later: the server is away, starting, full or overloaded.
        case wait
        /// Try again immediately: transactions got in each other's way.
        case again
        /// A value is to blame: halve the batch.
        case halve
        /// Only people can help.
        case stop
    }

    /// What to do about the error, by the class of its SQLSTATE.
    package var remedy: Remedy {
        switch self {
        case .connection: .wait
        case .location, .cancelled: .stop
        case .server(let code, _):
            switch code {
            case "40001", "40P01": .again
            // Locks of others, a table in use, a server that only reads since a failover.
            case "55P03", "55006", "25006": .wait
            // Connection failures, lack of resources, operator intervention, system errors.
            case _ where ["08", "53", "57", "58"].contains(String(code.prefix(2))): .wait
            // Data that the server does not take.
            case _ where ["22", "23", "54"].contains(String(code.prefix(2))): .halve
            default: .stop
            }
        }
    }

    /// The error as a one-line message for users.
    package var message: String {
        switch self {
        case .location(let message), .connection(let message): message
        case .server(let code, let message): "\(message) (SQLSTATE \(code))"
        case .cancelled: "cancelled"
        }
    }

    /// The error as readers of any store report it.
    package var storeError: StoreError {
        self == .cancelled ? .cancelled : .central(message)
    }
}
