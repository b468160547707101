import Foundation

/// Waits for what other programs and threads do.
public enum Eventually {
    /// What did not come in time.
    public struct Failure: Error, CustomStringConvertible {
        /// What it was, and how things stood.
        public let description: String
    }

    /// Far more than what works ever needs, in seconds.
    private static let patience = 120.0
    private static let pauseUs: UInt32 = 10_000

    /// Looks every 10 ms until there is a value; throws `failure` after two minutes without one.
    public static func value<Value>(
        orFail failure: @autoclosure () throws -> String, look: () throws -> Value?
    ) throws -> Value {
        let deadline = Date(timeIntervalSinceNow: patience)
        while true {
            if let value = try look() { return value }
            guard Date() < deadline else { throw Failure(description: try failure()) }
            usleep(pauseUs)
        }
    }

    /// Looks every 10 ms until the condition holds; throws `failure` after two minutes.
    public static func isTrue(
        orFail failure: @autoclosure () throws -> String, _ condition: () throws -> Bool
    ) throws {
        try value(orFail: try failure()) { try condition() ? () : nil }
    }
}
