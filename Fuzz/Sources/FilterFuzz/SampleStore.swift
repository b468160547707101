internal import Capture
internal import FuzzSupport
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import StoreSupport
internal import Synchronization

/// A store with a few exchanges that differ in everything a filter can ask for.
enum SampleStore {
    /// The exchanges as values, by number.
    static let subjects: [SampleSubject] = orFail { () throws(StoreError) in
        let reader = try StoreReader(directory: directory)
        var subjects: [SampleSubject] = []
        for row in try reader.rows(.oldest, limit: 100) {
            guard let exchange = try reader.exchange(row.id) else { continue }
            let parameters = try reader.parameters(of: row.id)
            let messages = try reader.messages(
                of: row.id, .oldest, limit: 100, byteCountMax: 1 << 20)
            subjects.append(
                SampleSubject(
                    row: row, exchange: exchange, parameters: parameters, messages: messages))
        }
        require(subjects.count == SampleExchanges.all.count, "the samples are not stored")
        return subjects
    }

    /// What the store finds.
    static func ids(matching filter: Filter) -> [ExchangeID] {
        orFail { () throws(StoreError) in
            try reader().rows(matching: filter, .oldest, limit: 100).map(\.id)
        }
    }

    // MARK: Files

    private static let directory = orFail { () throws(StoreError) in
        try SampleExchanges.store()
    }

    /// A reader keeps the statements it prepared, so that it is replaced now and then.
    private static let readerUseCountMax = 2_000
    private static let readers = Mutex<(reader: StoreReader?, useCount: Int)>((nil, 0))

    private static func reader() throws(StoreError) -> StoreReader {
        try readers.withLock { (state) throws(StoreError) in
            state.useCount += 1
            if let reader = state.reader, state.useCount % readerUseCountMax != 0 { return reader }
            let reader = try StoreReader(directory: directory)
            state.reader = reader
            return reader
        }
    }

    private static func orFail<Value>(_ body: () throws(StoreError) -> Value) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            // A store that cannot be read is a finding.
            fatalError("the store: \(error)")
        }
    }
}
