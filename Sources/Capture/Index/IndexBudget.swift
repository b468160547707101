/// How many parameters a step of the index may still take. An exchange has a few or a thousand, of
/// a few octets or a megabyte, and the database sorts those of a step in memory, while recording
/// waits for it.
struct IndexBudget {
    /// The parameters of a step: some ten milliseconds.
    static let rowCountMax = 8_192
    /// Their names and values, which are read in full before they are cut, in octets.
    static let byteCountMax = 4 << 20

    private var rowCount = rowCountMax
    private var byteCount = byteCountMax

    /// Whether the exchange that is being taken has to be the last one.
    var isUsedUp: Bool { rowCount <= 0 || byteCount <= 0 }

    /// Takes a parameter of so many octets.
    mutating func take(byteCount: Int) {
        rowCount -= 1
        self.byteCount -= byteCount
    }
}
