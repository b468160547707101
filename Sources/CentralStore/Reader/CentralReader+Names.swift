package import ProxydCaptureModel
package import ProxydHTTPModel

/// Names of exchanges: those of their stores, which are the names of shippers, and their numbers.
extension CentralReader {
    package func exchangeID(named text: String) throws(StoreError) -> ExchangeID? {
        guard let name = ExchangeName(text), let storeName = name.storeName,
            (0...CentralID.numberMask).contains(name.number),
            let shipper = try shipper(named: storeName)
        else { return nil }
        return ExchangeID(rawValue: CentralID.id(shipper: shipper, number: name.number))
    }

    package func name(of id: ExchangeID) throws(StoreError) -> String {
        ExchangeName(id, in: try storeName(of: id)).description
    }
}
