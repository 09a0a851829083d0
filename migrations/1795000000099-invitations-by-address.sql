-- without transaction
-- Which invitations wait for an address: asked by whoever looks at their own account, and at a first sign-in with Google.
create index concurrently members_invited on members (email) where status = 'invited';
