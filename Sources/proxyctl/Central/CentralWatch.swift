internal import Glibc
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import Synchronization

/// Looks once in a while whether a shipper delivered: a central store tells nothing by itself.
struct CentralWatch: StoreWatching {
    private let news: CentralNewsWatch

    init(_ uri: String) { news = CentralNewsWatch(uri) }

    @discardableResult
    func wait() -> Bool { news.wait() }
}

/// The same for an interface.
final class CentralNewsWatch: StoreNewsWatching {
    /// How often to look, in microseconds.
    private static let periodUs: UInt32 = 500_000

    private struct State {
        var reader: CentralReader?
        var changeNumber: Int64?
    }

    private let uri: String
    private let state = Mutex(State())

    init(_ uri: String) { self.uri = uri }

    func wait() -> Bool {
        usleep(CentralNewsWatch.periodUs)
        return state.withLock { state in
            let former = state.changeNumber
            let reader = state.reader ?? (try? CentralAccess.reader(uri))
            state.reader = reader
            // What cannot be asked may have changed: the interface then learns why.
            guard let number = try? reader?.changeNumber() else { return true }
            state.changeNumber = number
            return number != former
        }
    }
}
