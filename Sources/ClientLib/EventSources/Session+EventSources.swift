public import ProxydHTTPModel
internal import ProxydParameterCoding

extension Session {
    /// The events of a server.
    public func eventSource(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, configuration: EventSource.Configuration = .init(),
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> EventSource {
        eventSource(configuration, interceptor) {
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
        }
    }

    /// The events that a server sends in response to an existing request.
    public func eventSource(
        _ convertible: some RequestConvertible,
        configuration: EventSource.Configuration = .init(),
        interceptor: (any RequestInterceptor)? = nil
    ) -> EventSource {
        eventSource(configuration, interceptor) { try convertible.asRequest() }
    }

    private func eventSource(
        _ configuration: EventSource.Configuration, _ interceptor: (any RequestInterceptor)?,
        _ build: @escaping @Sendable () throws -> HTTPRequest
    ) -> EventSource {
        EventSource(configuration) { [self] lastEventID in
            let request = streamRequest(interceptor, true, isValidatedAtHead: true) { [self] in
                var request = try build()
                request.prepareForEvents(lastEventID)
                var timeouts = request.timeouts ?? self.configuration.timeouts
                timeouts.idle = configuration.idleTimeout
                timeouts.total = nil
                request.timeouts = timeouts
                return request
            }
            return request.addValidator { completion throws(ClientError) in
                try EventSource.check(completion.response)
            }
        }
    }
}

extension HTTPRequest {
    /// Adds the fields of an event stream client (WHATWG HTML §9.2.3) unless the request already
    /// has them.
    fileprivate mutating func prepareForEvents(_ lastEventID: String) {
        if fields["Accept"] == nil { fields.append(name: "Accept", value: "text/event-stream") }
        if fields["Cache-Control"] == nil {
            fields.append(name: "Cache-Control", value: "no-store")
        }
        guard !lastEventID.isEmpty else { return }
        fields.set(name: "Last-Event-ID", value: lastEventID)
    }
}

extension EventSource {
    /// Rejects responses that are not event streams (WHATWG HTML §9.2.3); 204 is accepted as the
    /// end.
    static func check(_ head: ResponseHead?) throws(ClientError) {
        guard let head, head.status != 204 else { return }
        guard head.status == 200 else {
            throw ClientError(
                .responseValidationFailed(.unacceptableStatusCode(code: head.status)))
        }
        let wanted = "text/event-stream"
        guard let value = head.fields.value(.contentType), let type = MediaType(value) else {
            throw ClientError(.responseValidationFailed(.missingContentType(acceptable: [wanted])))
        }
        guard type.essence.lowercased() == wanted else {
            throw ClientError(
                .responseValidationFailed(
                    .unacceptableContentType(acceptable: [wanted], actual: type.essence)))
        }
    }
}
