extension ClientRequest {
    /// Starts it, or goes on after `suspend()`.
    @discardableResult
    public func resume() -> Self {
        core.resume(self)
        return self
    }

    /// Pauses it: nothing more is read, so that the server is slowed down.
    @discardableResult
    public func suspend() -> Self {
        core.suspend(self)
        return self
    }

    /// Gives it up, whatever its state; handlers get `.explicitlyCancelled`.
    @discardableResult
    public func cancel() -> Self {
        core.cancel(self, with: ClientError(.explicitlyCancelled))
        return self
    }
}
