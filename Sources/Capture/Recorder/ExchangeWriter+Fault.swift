internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

extension ExchangeWriter {
    /// Writes the faults of a response if an update reports any.
    func addFault(_ update: borrowing ExchangeUpdate) throws(StoreError) {
        guard let fault = update.responseFault else { return }
        let statement = statements.insertFault
        statement.bind(1, update.id.rawValue)
        if let bytes = fault.refusal?.bytes {
            bytes.withUnsafeBytes { statement.bindCopy(2, $0, isText: false) }
        } else {
            statement.bindNull(2)
        }
        statement.bindCopy(3, fault.refusal?.reason)
        statement.bindCopy(4, ResponseFaultCoding.text(of: fault.repairs))
        try statement.run()
    }
}
