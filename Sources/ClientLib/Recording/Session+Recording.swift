public import ProxydHTTPModel

extension Session {
    /// A session that records each attempt as one exchange, as proxyd would have seen it, but
    /// without a proxy. `sink` is a store's recorder or a running daemon.
    ///
    /// The first `keptBodyByteCountMax` bytes of each body are kept as they were transferred
    /// (content codings are not removed). If the sink is too slow, responses are read more slowly.
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
