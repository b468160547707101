internal import ProxydCaptureModel
internal import ProxydCentralStore

/// Why delivery cannot go on for now, or at all.
enum ShippingError: Error {
    /// The central store.
    case central(CentralError)
    /// A signal came before everything was delivered.
    case stopped
    /// The local store or its daemon.
    case local(String)

    init(_ error: StoreError) { self = .local(error.description) }

    /// Whether only people can help.
    var isFinal: Bool {
        switch self {
        case .central(let error): error.remedy == .stop
        case .stopped: true
        case .local: false
        }
    }

    var message: String {
        switch self {
        case .central(let error): "central store: \(error.message)"
        case .local(let message): message
        case .stopped: "stopped before everything was delivered"
        }
    }
}
