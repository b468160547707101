internal import ProxydHTTPModel

/// A call whose response is copied to its record as it is read.
final class RecordedCall: TransportCall {
    private let base: any TransportCall
    private let record: CallRecord

    init(_ base: any TransportCall, record: CallRecord) {
        self.base = base
        self.record = record
    }

    deinit { record.abandon(base.report) }

    /// Whether nothing more will be recorded.
    var isOver: Bool { record.isOver }

    /// Passes on new data.
    func flush() { record.flush(base.report) }

    func head() async throws(ClientError) -> ResponseHead {
        do throws(ClientError) {
            let head = try await base.head()
            record.note(head, base.report)
            return head
        } catch {
            record.fail(error, base.report)
            throw error
        }
    }

    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
        // While no data is requested, the loop stops reading, which slows the server down.
        await record.waitForRoom()
        do throws(ClientError) {
            guard let bytes = try await base.next(atLeast: byteCount) else {
                record.complete(base.report)
                return nil
            }
            if record.isSwitched {
                record.appendSwitched(bytes, .toClient, base.report)
            } else {
                record.appendResponse(bytes, base.report)
            }
            return bytes
        } catch {
            record.fail(error, base.report)
            throw error
        }
    }

    var report: TransportReport {
        var report = base.report
        report.exchangeID = record.id
        return report
    }

    /// Sent data is recorded first, so that it comes before the answer.
    func send(_ bytes: [UInt8]) async throws(ClientError) {
        await record.waitForRoom()
        record.appendSwitched(bytes, .toServer, base.report)
        try await base.send(bytes)
    }

    func post(_ bytes: [UInt8]) {
        record.appendSwitched(bytes, .toServer, base.report)
        base.post(bytes)
    }

    func close() {
        base.close()
        if record.isSwitched { record.complete(base.report) } else { record.abandon(base.report) }
    }

    func cancel() {
        base.cancel()
        record.abandon(base.report)
    }
}
