internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Closes exchanges that a crash left open.
enum StoreRecovery {
    /// Marks the exchanges that were active when the last recorder ended as failed; returns how
    /// many there were.
    static func endInterrupted(_ writer: StoreWriter) throws(StoreError) -> Int {
        let connection = writer.connection
        let count = try connection.integer("SELECT count(*) FROM open_exchange")
        guard count > 0 else { return 0 }
        let origin = ExchangeFailure.Origin.proxy.rawValue
        let kind = ExchangeFailure.Kind.shutdown.rawValue
        try writer.transaction { () throws(StoreError) in
            try connection.execute(
                """
                UPDATE exchange SET state = \(ExchangeState.failed.stored),
                  error_origin = '\(origin)', error_kind = '\(kind)',
                  error = 'recorder stopped before the exchange ended'
                WHERE id IN (SELECT exchange_id FROM open_exchange);
                DELETE FROM open_exchange;
                """)
        }
        return Int(clamping: count)
    }
}
