internal import ProxydCaptureModel
internal import ProxydCentralStore

/// Why delivery cannot go on for now, or at all.
enum ShippingError: Error {
    /// The central store.
    case central(CentralError)
    /// The local store or its daemon.
    case local(String)

    init(_ error: StoreError) { self = .local(error.description) }

    /// Whether only people can help.
    var isFinal: Bool {
        if case .central(let error) = self { error.remedy == .stop } else { false }
    }

    var message: String {
        switch self {
        case .central(let error): "central store: \(error.message)"
        case .local(let message): message
        }
    }
}
