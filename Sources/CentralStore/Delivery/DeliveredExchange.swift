package import ProxydCaptureModel
package import ProxydHTTPModel
package import ProxydStoreCoding

/// An exchange that is written to the central store.
package struct DeliveredExchange {
    /// Its values in its own store, without what redaction removed.
    package var record: StoredRecord
    /// The facts about its connections.
    package var client: ConnectionRecord?
    package var server: ConnectionRecord?
    /// Passes its messages on, page by page; nil if it has none.
    package var messages: ((_ page: ([MessageRow]) throws -> Void) throws -> Void)?
    /// Passes a body on that is not in the record, piece by piece; nil if the record
    /// has both.
    package var longBody:
        ((_ part: StoredMessage, _ piece: ([UInt8]) throws -> Void) throws -> Void)?

    /// Creates an exchange without connections, messages and long bodies.
    package init(_ record: StoredRecord) { self.record = record }

    /// The number of the day on which it started.
    var day: Int64 { CentralTime.day(ns: record.startedNs) }
}
