internal import ArgumentParser
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// An argument that names an exchange.
struct ExchangeArgument: ExpressibleByArgument, CustomStringConvertible {
    let name: ExchangeName

    init?(argument: String) {
        guard let name = ExchangeName(argument) else { return nil }
        self.name = name
    }

    var description: String { name.description }

    /// The help of such arguments.
    static let help = ArgumentHelp(
        "The exchange's number; STORE:NUMBER in a central store.", valueName: "id")

    /// Finds the exchange's identifier in a store; the exchange need not exist.
    /// - Throws: `CommandFailure` if the store cannot have an exchange of this name.
    func id(in reader: any ExchangeReading) throws -> ExchangeID {
        let id = try StoreAccess.attempt { () throws(StoreError) in
            try reader.exchangeID(named: description)
        }
        guard let id else { throw CommandFailure("there is no exchange \(self)") }
        return id
    }
}
