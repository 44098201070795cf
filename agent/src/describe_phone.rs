//! Handler of `DescribePhone`: the phone, its capabilities and its apps.

use retap_shared::protocol::DescribePhoneReply;

use crate::handlers::Handlers;
use crate::phone::PhoneError;

impl Handlers {
    pub(crate) fn describe_phone(&mut self) -> Result<DescribePhoneReply, PhoneError> {
        Ok(DescribePhoneReply {
            phone: self.phone.info(),
            capabilities: self.phone.capabilities(),
            apps: self.phone.apps()?,
        })
    }
}
