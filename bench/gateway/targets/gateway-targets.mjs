export const gatewayTargets = [];
