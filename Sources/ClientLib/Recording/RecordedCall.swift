internal import ProxydHTTPModel

/// A call whose response is copied to its record as it is taken.
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

    /// Hands over what is new.
    func flush() { record.flush(base.report) }

    func head() async throws(ClientError) -> ResponseHead {
        do throws(ClientError) {
            let head = try await base.head()
            record.note(head)
            return head
        } catch {
            record.fail(error, base.report)
            throw error
        }
    }

    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
        // While no one asks for more, the loop stops reading: that slows the server down.
        await record.waitForRoom()
        do throws(ClientError) {
            guard let octets = try await base.next(atLeast: byteCount) else {
                record.complete(base.report)
                return nil
            }
            record.appendResponse(octets, base.report)
            return octets
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

    func cancel() {
        base.cancel()
        record.abandon(base.report)
    }
}
