internal import Glibc
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import Synchronization

/// Looks once in a while whether a shipper delivered: a central store tells nothing by itself.
final class CentralWatch: StoreWatching, StoreNewsWatching {
    /// How often to look, in microseconds.
    private static let periodUs: UInt32 = 500_000

    private let reader: CentralReader
    private let changeNumber = Mutex<Int64?>(nil)

    init(_ reader: CentralReader) { self.reader = reader }

    @discardableResult
    func wait() -> Bool {
        usleep(CentralWatch.periodUs)
        // What cannot be asked may have changed: the interface then learns why.
        guard let number = try? reader.changeNumber() else { return true }
        return changeNumber.withLock { former in
            defer { former = number }
            return number != former
        }
    }
}
