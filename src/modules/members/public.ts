export { drawInvitation } from './invitations/draw-invitation.js';
export { InvitationLetters } from './invitations/invitation-letters.js';
export { MembersModule } from './members.module.js';
