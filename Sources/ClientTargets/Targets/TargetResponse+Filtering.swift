internal import ProxydHTTPModel
public import ClientLib

extension TargetResponse {
    /// Returns the response if its status is one of these.
    /// - Throws: `.responseValidationFailed(.unacceptableStatusCode)` with the response.
    public func filter<Codes: RangeExpression>(statusCodes: Codes) throws(ClientError) -> Self
    where Codes.Bound == Int {
        guard statusCodes.contains(statusCode) else {
            throw ClientError(
                .responseValidationFailed(.unacceptableStatusCode(code: statusCode))
            ).carrying(self)
        }
        return self
    }

    /// Returns the response if its status is this one.
    public func filter(statusCode: Int) throws(ClientError) -> Self {
        try filter(statusCodes: statusCode...statusCode)
    }

    /// Returns the response if its status is 200…299.
    public func filterSuccessfulStatusCodes() throws(ClientError) -> Self {
        try filter(statusCodes: 200...299)
    }

    /// Returns the response if its status is 200…399.
    public func filterSuccessfulStatusAndRedirectCodes() throws(ClientError) -> Self {
        try filter(statusCodes: 200...399)
    }
}
