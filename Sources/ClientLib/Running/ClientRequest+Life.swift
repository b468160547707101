extension ClientRequest {
    /// Starts the request, or continues it after `suspend()`.
    @discardableResult
    public func resume() -> Self {
        core.resume(self)
        return self
    }

    /// Pauses the request: nothing more is read, which slows the server down.
    @discardableResult
    public func suspend() -> Self {
        core.suspend(self)
        return self
    }

    /// Cancels the request in any state; handlers get `.explicitlyCancelled`.
    @discardableResult
    public func cancel() -> Self {
        core.cancel(self, with: ClientError(.explicitlyCancelled))
        return self
    }
}
