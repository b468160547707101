public import ProxydHTTPModel

extension Session {
    /// A session whose attempts are recorded, each as one exchange: what proxyd would have seen,
    /// without a proxy between. `sink` is a store's recorder or a running daemon.
    ///
    /// Of each body the first `keptBodyByteCountMax` bytes are kept, as they went over the wire
    /// (content codings are not undone). Where the sink cannot follow, responses are read slower.
    public convenience init(
        recordingInto sink: any ExchangeSink, keptBodyByteCountMax: Int = 16 << 20,
        configuration: SessionConfiguration = .default,
        transport: (any ClientTransport)? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: any RedirectHandler = Redirector.follow,
        eventMonitors: [any EventMonitor] = []
    ) {
        var configuration = configuration
        if let serverTrustManager { configuration.serverTrustManager = serverTrustManager }
        self.init(
            configuration: configuration,
            transport: RecordingTransport(
                transport ?? Session.makeTransport(configuration), sink: sink,
                keptBodyByteCountMax: keptBodyByteCountMax),
            interceptor: interceptor, redirectHandler: redirectHandler,
            eventMonitors: eventMonitors)
    }
}
