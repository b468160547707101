public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydParameterCoding

/// A store whose exchanges have names such as `ci-17:4711`, as in a central store.
public struct NamedReader: ExchangeReading {
    private let reader: any ExchangeReading
    private let storeName: String

    /// Names the exchanges of a store.
    public init(_ reader: any ExchangeReading, _ storeName: String) {
        self.reader = reader
        self.storeName = storeName
    }

    private func named(_ rows: [ExchangeRow]) -> [ExchangeRow] {
        rows.map { row in
            var row = row
            row.storeName = storeName
            return row
        }
    }

    /// Finds an exchange of the store's name.
    public func exchangeID(named text: String) throws(StoreError) -> ExchangeID? {
        guard let name = ExchangeName(text), name.storeName == storeName else { return nil }
        return ExchangeID(rawValue: name.number)
    }

    /// The name of an exchange.
    public func name(of id: ExchangeID) throws(StoreError) -> String {
        ExchangeName(id, in: storeName).description
    }

    /// The number of the store.
    public var storeNumber: UInt64 { reader.storeNumber }
    /// The number of changes.
    public func changeNumber() throws(StoreError) -> Int64 { try reader.changeNumber() }
    /// The number of exchanges.
    public func exchangeCount() throws(StoreError) -> Int64 { try reader.exchangeCount() }
    /// The last exchange.
    public func lastExchangeID() throws(StoreError) -> ExchangeID? { try reader.lastExchangeID() }
    /// The files that describe messages.
    public func protoFiles() throws(StoreError) -> [ProtoFile] { try reader.protoFiles() }
    /// Their version.
    public func protoFileVersion() throws(StoreError) -> ProtoFileVersion {
        try reader.protoFileVersion()
    }

    /// Rows with the store's name.
    public func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow] {
        named(try reader.rows(ids))
    }

    /// Rows with the store's name.
    public func rows(
        matching filter: Filter, _ direction: PageDirection, limit: Int,
        progress: (Double) -> Void
    ) throws(StoreError) -> [ExchangeRow] {
        named(
            try reader.rows(matching: filter, direction, limit: limit, progress: progress))
    }

    /// Rows with the store's name.
    public func forEachRow(
        matching filter: Filter, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reader.forEachRow(matching: filter, direction) { (row) throws(StoreError) in
            try body(named([row])[0])
        }
    }

    /// Whether a column is quick.
    public func isQuick(by column: SortColumn) -> Bool { reader.isQuick(by: column) }

    /// The position of a row.
    public func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition {
        reader.position(of: row, by: column)
    }

    /// Positions of rows.
    public func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition] {
        try reader.positions(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit, progress: progress)
    }

    /// The number of matches.
    public func count(
        matching filter: Filter, progress: (Int64) -> Void
    ) throws(StoreError) -> Int64 {
        try reader.count(matching: filter, progress: progress)
    }

    /// The values of a column.
    public func values(of column: SortColumn) throws(StoreError) -> [String] {
        try reader.values(of: column)
    }

    /// A summary.
    public func summary(
        matching filter: Filter, progress: (ExchangeSummary, Double?) -> Void
    ) throws(StoreError) -> ExchangeSummary {
        try reader.summary(matching: filter, progress: progress)
    }

    /// A level of the tree.
    public func branches(
        of place: TreePath, matching filter: Filter, progress: (Branches, Double?) -> Void
    ) throws(StoreError) -> Branches {
        try reader.branches(of: place, matching: filter, progress: progress)
    }

    /// Timelines.
    public func timelines(
        _ ids: [ExchangeID]
    ) throws(StoreError) -> [ExchangeID: Timeline] {
        try reader.timelines(ids)
    }

    /// An exchange.
    public func exchange(
        _ id: ExchangeID, bodyByteCountMax: Int
    ) throws(StoreError) -> Exchange? {
        try reader.exchange(id, bodyByteCountMax: bodyByteCountMax)
    }

    /// The bytes of a head.
    public func headBytes(
        of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]? {
        try reader.headBytes(of: id, message)
    }

    /// The bytes of a body.
    public func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage,
        _ body: ([UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reader.forEachBodyChunk(of: id, message, body)
    }

    /// Decoded parameters.
    public func parameters(of id: ExchangeID) throws(StoreError) -> [ExtractedParameter] {
        try reader.parameters(of: id)
    }

    /// A page of messages.
    public func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow] {
        try reader.messages(of: id, page, limit: limit, byteCountMax: byteCountMax)
    }

    /// The position of the last message.
    public func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64? {
        try reader.lastMessagePosition(of: id)
    }

    /// What users added.
    public func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations {
        try reader.annotations(of: id)
    }
}
